// The objects as Stripe's API reference describes them; fields that nothing here decides on are left to the index.

/** What every object has. */
export interface Base<K extends string> {
  id: string
  object: K
  [field: string]: unknown
}
export interface List<T> {
  object: 'list'
  data: T[]
  has_more: boolean
  url: string
  total_count?: number
}
export type Metadata = Record<string, string>
