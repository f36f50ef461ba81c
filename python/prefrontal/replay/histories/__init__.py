"""What happened: git repositories, agents' sessions, files of events, as windows."""
