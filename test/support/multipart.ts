export interface Part {
  readonly name?: string
  /** Left out, the part is a text field. */
  readonly filename?: string
  readonly type?: string
  /** More header lines. */
  readonly headers?: readonly string[]
  readonly body: Buffer | string
}

export interface Form {
  readonly body: Buffer
  readonly contentType: string
}

interface FormOptions {
  readonly boundary?: string
  /** What stands after the last boundary, which parsers ignore. */
  readonly epilogue?: string
}

/** A whole multipart/form-data body, its bytes exactly as said. */
export function multipart(
  parts: readonly Part[],
  { boundary = 'a-boundary', epilogue = '' }: FormOptions = {},
): Form {
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([
      ...parts.flatMap((part) => [
        Buffer.from(`--${boundary}\r\n${headersOf(part)}\r\n\r\n`),
        Buffer.from(part.body),
        Buffer.from('\r\n'),
      ]),
      Buffer.from(`--${boundary}--\r\n${epilogue}`),
    ]),
  }
}

/** What `curl -F preview=@file` sends. */
export function filePart(body: Buffer, more: Partial<Part> = {}): Part {
  return {
    name: 'preview',
    filename: 'screenshot.jpg',
    type: 'image/jpeg',
    body,
    ...more,
  }
}

/** The form with that file and epilogue spaces up to a length. */
export function formOfLength(file: Buffer, length: number): Form {
  const bare = multipart([filePart(file)]).body.length
  return multipart([filePart(file)], { epilogue: ' '.repeat(length - bare) })
}

function headersOf({ name, filename, type, headers = [] }: Part): string {
  return [
    [
      'Content-Disposition: form-data',
      ...(name === undefined ? [] : [`name="${name}"`]),
      ...(filename === undefined ? [] : [`filename="${filename}"`]),
    ].join('; '),
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...headers,
  ].join('\r\n')
}
