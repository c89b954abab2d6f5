"""`python -m dpcore`: the same jobs without a browser."""

from dpcore.cli import main

raise SystemExit(main())
