"""What only the study of the paper needs: its definition, published figures, tables and claims."""
