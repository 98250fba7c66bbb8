"""When an arm is pulled and its mean released: episodes, phases, buffers, batches, elimination."""
