"""How long each method takes to train one model, alone, on this machine."""
