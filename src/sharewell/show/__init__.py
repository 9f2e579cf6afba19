"""What people see: the report, the explorer, the datasheet, the terminal, the notebook."""
