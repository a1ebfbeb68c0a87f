"""Read any source (frame, array, file, iterator of batches) as Arrow columns or batches."""
