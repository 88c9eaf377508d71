type Content = Readonly<Record<string, unknown>>

// `invoice_url` opens a page with the buyer's name for whoever has it; `metadata` is what the site wrote there.
const nameless: Content = { email: null, name: null, invoice_url: null, metadata: {} }

/** A stored snapshot without what names a person; amounts, ids, prices and moments stay. Anything else comes back as it is. */
export const scrubbed = (data: string): string => {
  const content = JSON.parse(data) as unknown
  return isContent(content) ? JSON.stringify(clean(content)) : data
}

/** The same for the contents of one moment, which lie by their digest. */
export const scrubbedTied = (tied: string | null): string | null => {
  if (tied === null) return null
  const contents = Object.entries(JSON.parse(tied) as Record<string, unknown>)
  return JSON.stringify(
    Object.fromEntries(contents.map(([digest, item]) => [digest, isContent(item) ? clean(item) : item])),
  )
}

const clean = (content: Content): Content =>
  Object.fromEntries(
    Object.entries(content).map(([key, value]) => [
      key,
      Object.hasOwn(nameless, key) ? nameless[key] : value,
    ]),
  )

const isContent = (value: unknown): value is Content =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
