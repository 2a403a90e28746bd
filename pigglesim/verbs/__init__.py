"""What can be done, a verb a module: the command line and `import pigglesim` both call these."""
