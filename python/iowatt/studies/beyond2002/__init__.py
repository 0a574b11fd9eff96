"""What arrays2002 left open: other loads, laptop-class drives, batching, prediction of idle periods."""
