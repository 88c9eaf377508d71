/** Size limit of a whole multipart body, in bytes. */
export const maxBodyBytes = 262_144

/** Smallest size that is too large for a picture, as received and as stored: "smaller than 200 kB". */
export const previewBytesLimit = 204_800

/** Largest screenshot of a host before it is reduced, in bytes. */
export const maxScreenshotBytes = 8_388_608

/** Most pixels that are decoded. A picture of 184 kB can decode to 31 million pixels and 300 MB of memory. */
export const maxPixels = 25_000_000

/**
 * Most scans of a progressive picture, as in libvips. Each costs a pass over all pixels, and may be only a
 * few bytes long.
 */
export const maxScans = 100

/**
 * Most pixels of a stored picture: a screen of 1920 × 1080. Larger ones are decoded at a fraction of their
 * size.
 */
export const previewPixels = 2_100_000

/**
 * Most memory for a progressive picture, which must be complete before a line can be shown. It allows 4.3
 * million pixels, or 2.1 million with full colour resolution. The process grows by ten times as much.
 */
export const maxHeldBytes = 13_000_000

/** Limit of scans times pixels; encoders make about ten scans. */
export const maxScannedPixels = 300_000_000

/** Most pixels decoded without sharp, which takes thirty bytes per pixel. */
export const maxPlainPixels = 4_200_000
