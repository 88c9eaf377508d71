/** A literal of a test as the payload type that the called reader takes: there, only `obj` and `list` open nested parts. */
export function payload<T>(json: object): T {
  return json as T
}
