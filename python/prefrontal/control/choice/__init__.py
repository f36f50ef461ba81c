"""What is proposed and which of it is followed: E2, proposals, E3, dACC, drives and modes."""
