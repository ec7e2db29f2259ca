"""The few private names of Azure's client that real code imports."""
