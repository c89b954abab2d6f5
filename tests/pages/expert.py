"""Opens the controls of Explore and of Train that are closed at first."""


def with_expert_open(app):
    """The page after its Expert controls were opened."""
    app.session_state["expert"] = True
    app.run()
    assert not app.exception
    return app
