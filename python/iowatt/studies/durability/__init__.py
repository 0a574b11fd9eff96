"""Published calculations of durability, remade from their own inputs."""
