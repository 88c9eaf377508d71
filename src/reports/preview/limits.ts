/** A whole multipart body, in bytes. */
export const maxBodyBytes = 262_144

/** The first size of a picture that is too large, as received and as stored: "smaller than 200 kB". */
export const previewBytesLimit = 204_800

/** What a host's own screenshot may weigh before it is made small, in bytes. */
export const maxScreenshotBytes = 8_388_608

/** A picture of 184 kB can decode to 31 million pixels and 300 MB of memory; this is where we stop. */
export const maxPixels = 25_000_000

/** Each progressive scan costs a pass over all pixels and may be a few bytes only; libvips stops here, too. */
export const maxScans = 100
