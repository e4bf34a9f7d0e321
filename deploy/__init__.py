"""What the image runs beside the app."""
