import type { Preview } from './images.ts'

/** The headers that a preview is served with, under an address that never gets other bytes. A browser shows it as a
 *  picture and as nothing else, whatever a decoder of another kind might see in it. */
export const previewHeaders = (preview: Pick<Preview, 'etag'>) => ({
  'Content-Type': 'image/jpeg',
  'X-Content-Type-Options': 'nosniff',
  'Content-Disposition': 'inline',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cache-Control': 'public, max-age=31536000, immutable',
  ETag: preview.etag,
})
