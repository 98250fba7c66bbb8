"""Parts of policies with an oracle: batches of labelled users, and predictors of their losses."""
