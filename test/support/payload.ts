/** A literal of a test as the payload type that the called reader takes: there, only `obj` and `list` open nested parts. */
export const payload = <T>(json: object): T => json as T
