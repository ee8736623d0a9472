"""What people do around a funnel's steps, as figures. Its own tables are drawn in ``funnel``."""
