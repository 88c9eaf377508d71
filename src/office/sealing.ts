import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

/** Keeps a text so that only who has the site's secret reads it; the first secret seals, any of them opens. */
export const createSealing = (secrets: () => readonly string[]) => {
  const keys = () => secrets().map((secret) => createHmac('sha256', secret).update('office').digest())
  const seal = (text: string): string => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', keys()[0]!, nonce)
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
  }
  /** The text, or null where it was not sealed here. */
  const open = (sealed: string): string | null => {
    const bytes = Buffer.from(sealed, 'base64url')
    for (const key of keys())
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
        decipher.setAuthTag(bytes.subarray(12, 28))
        return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
      } catch {
        // Another key's, perhaps.
      }
    return null
  }
  return { seal, open }
}
export type Sealing = ReturnType<typeof createSealing>
