"""What judges releases, for every kind that changes or invents students: the least strength, and fresh judges."""
