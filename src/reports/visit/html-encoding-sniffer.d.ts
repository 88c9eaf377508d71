declare module 'html-encoding-sniffer' {
  /** The WHATWG name of the encoding of an HTML file's bytes. */
  const sniff: (
    bytes: Uint8Array,
    options?: { transportLayerEncodingLabel?: string; defaultEncoding?: string },
  ) => string
  export default sniff
}
