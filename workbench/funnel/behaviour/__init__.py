"""What people do around the steps: retention, paths and drivers."""
