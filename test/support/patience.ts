/** Longer than a test: a connection that idled while the machine was busy is not closed under the next request. */
export const keepAliveTimeout = 180_000
