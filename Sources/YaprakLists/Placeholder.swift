// The lists come here.
