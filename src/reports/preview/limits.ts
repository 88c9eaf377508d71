/** A whole multipart body, in bytes. */
export const maxBodyBytes = 262_144

/** The first size of a picture that is too large, as received and as stored: "smaller than 200 kB". */
export const previewBytesLimit = 204_800

/** Largest screenshot of a host, before it is made small, in bytes. */
export const maxScreenshotBytes = 8_388_608

/** A picture of 184 kB can decode to 31 million pixels and 300 MB of memory; this is where we stop. */
export const maxPixels = 25_000_000

/** Each progressive scan costs a pass over all pixels and may be a few bytes only; libvips stops here, too. */
export const maxScans = 100

/** Most pixels of a stored picture: a screen of 1920 × 1080. Larger ones are read at a part of their size. */
export const previewPixels = 2_100_000

/** Most pixels held of a progressive picture, all of which is there before a line of it can be shown: 4.3 million
 *  pixels, 2.1 million where colours are as fine as light. The process grows by ten times as much. */
export const maxHeldBytes = 13_000_000

/** Scans times pixels: encoders make about ten scans. */
export const maxScannedPixels = 300_000_000

/** Most pixels decoded without sharp, which takes thirty bytes a pixel. */
export const maxPlainPixels = 4_200_000
