// The views come here.
