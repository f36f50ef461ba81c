"""Where signals come from: each module watches one part of the world (`protocols.Source`)."""
