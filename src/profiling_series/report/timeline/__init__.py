"""The timeline, in one direction: the scene (data), its layout (pixels), the SVG, and the page's script."""
