"""`python -m pigglesim`."""

from pigglesim.cli.app import main

if __name__ == "__main__":
    main()
