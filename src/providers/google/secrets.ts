import type { SecretShapes } from '../secret-shapes.ts'

/**
 * The API key is the JSON of a service account; a push has no secret but its audience. Source:
 * https://cloud.google.com/iam/docs/keys-create-delete
 */
export const googleSecrets = {
  mistaken: {
    webhook: [
      [/^\s*\{/, 'the key of a service account'],
      [/@[\w-]+\.iam\.gserviceaccount\.com$/, 'a service account, and not the audience'],
    ],
    secret: [
      [/@[\w-]+\.iam\.gserviceaccount\.com$/, 'a service account, and not its key'],
      [/\.json$/, 'the name of a file, and not what is in it'],
      [/^AIza/, 'an API key of another kind'],
    ],
  },
} satisfies SecretShapes
