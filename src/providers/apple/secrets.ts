import type { SecretShapes } from '../secret-shapes.ts'

/**
 * The API key is the text of a .p8 file; a webhook has no secret but the app's bundle id. Source:
 * https://developer.apple.com/documentation/appstoreserverapi/creating-api-keys-to-authorize-api-requests
 */
export const appleSecrets = {
  mistaken: {
    webhook: [
      [/^\d+$/, 'the Apple ID of the app, and not its bundle id'],
      [/^-----BEGIN/, 'a key'],
    ],
    secret: [
      [/^[A-Z0-9]{10}$/, 'the id of a key'],
      [/^[0-9a-f]{8}-/, 'the issuer id'],
      [/\.p8$/, 'the name of a file, and not what is in it'],
    ],
  },
} satisfies SecretShapes
