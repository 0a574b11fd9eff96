"""What the server answers: a module for each kind of request, each making its router."""
