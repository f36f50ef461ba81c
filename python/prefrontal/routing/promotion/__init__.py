"""What was approved is kept: file, record, change log and history as one."""
