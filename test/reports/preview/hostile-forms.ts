import { type Form, filePart, multipart } from '../../support/multipart.ts'

function text(body: string, boundary = 'b'): Form {
  return {
    body: Buffer.from(body, 'latin1'),
    contentType: `multipart/form-data; boundary=${boundary}`,
  }
}
function fields(count: number) {
  return Array.from({ length: count }, (_, at) => ({ name: `field${at}`, body: 'x' }))
}
function cut(form: Form, bytes: number): Form {
  return { ...form, body: form.body.subarray(0, -bytes) }
}
function retyped(form: Form, contentType: string): Form {
  return { ...form, contentType }
}
function replaced(form: Form, from: string, to: string): Form {
  return {
    ...form,
    body: Buffer.from(form.body.toString('latin1').replaceAll(from, to), 'latin1'),
  }
}
function quoted(jpeg: Buffer, boundary: string): Form {
  return retyped(multipart([filePart(jpeg)], { boundary }), `multipart/form-data; boundary="${boundary}"`)
}
function long(bytes: number) {
  return { name: 'long', body: 'x'.repeat(bytes) }
}
const disposition = 'Content-Disposition: form-data; name="preview"; filename="a.jpg"'
const preamble = 'This is a form.\r\n--a-boundary\r\nC'

type Case = [title: string, form: (jpeg: Buffer) => Form, status: number]

/** Odd forms and the status that each gets: 200 for what RFC 7578 allows or what only looks odd. */
export const hostileForms: Case[] = [
  ['no terminator', (jpeg) => cut(multipart([filePart(jpeg)]), 18), 400],
  ['half a terminator', (jpeg) => cut(multipart([filePart(jpeg)]), 4), 400],
  ['a file cut in the middle', (jpeg) => cut(multipart([filePart(jpeg)]), jpeg.length), 400],
  ['headers cut in the middle', () => text('--b\r\nContent-Disposition: form-da'), 400],
  ['a terminator only', () => text('--b--\r\n'), 400],
  ['no body', () => text(''), 400],
  [
    'a wrong boundary',
    (jpeg) => retyped(multipart([filePart(jpeg)]), 'multipart/form-data; boundary=x'),
    400,
  ],
  ['a boundary of 252 bytes', (jpeg) => multipart([filePart(jpeg)], { boundary: 'b'.repeat(252) }), 400],
  ['a boundary of 71 bytes', (jpeg) => multipart([filePart(jpeg)], { boundary: 'b'.repeat(71) }), 400],
  ['a boundary of 70 bytes', (jpeg) => multipart([filePart(jpeg)], { boundary: 'b'.repeat(70) }), 200],
  ['no boundary', (jpeg) => retyped(multipart([filePart(jpeg)]), 'multipart/form-data'), 400],
  [
    'two boundaries',
    (jpeg) => retyped(multipart([filePart(jpeg)]), 'multipart/form-data; boundary=a-boundary; boundary=b'),
    400,
  ],
  [
    'a quoted boundary',
    (jpeg) => retyped(multipart([filePart(jpeg)]), 'Multipart/Form-Data; charset=x; Boundary="a-boundary"'),
    200,
  ],
  ['a boundary of every sign that is allowed', (jpeg) => quoted(jpeg, "0zA'()+_,-./:=? x"), 200],
  ['a boundary with a sign that is not', (jpeg) => quoted(jpeg, 'a%41'), 400],
  ['no multipart', (jpeg) => ({ body: jpeg, contentType: 'image/jpeg' }), 400],
  ['another multipart', (jpeg) => retyped(multipart([filePart(jpeg)]), 'multipart/mixed; boundary=b'), 400],
  [
    '5 000 fields, more bytes than a form may have',
    (jpeg) => multipart([...fields(5000), filePart(jpeg)]),
    413,
  ],
  ['3 000 fields', (jpeg) => multipart([...fields(3000), filePart(jpeg)]), 400],
  ['21 fields and no file', () => multipart(fields(21)), 400],
  ['20 fields and the file', (jpeg) => multipart([...fields(20), filePart(jpeg)]), 200],
  [
    'nested and numeric names',
    (jpeg) =>
      multipart([
        ...['a[b][c]', 'a[0]', '0', '__proto__', 'constructor[prototype][x]'].map((name) => ({
          name,
          body: 'x',
        })),
        filePart(jpeg),
      ]),
    200,
  ],
  [
    'part headers named __proto__',
    (jpeg) => multipart([filePart(jpeg, { headers: ['__proto__: x', 'constructor: y'] })]),
    200,
  ],
  ['a bare CR in a header', (jpeg) => multipart([filePart(jpeg, { headers: ['X-A: b\rX-C: d'] })]), 400],
  ['a bare LF in a header', (jpeg) => multipart([filePart(jpeg, { headers: ['X-A: b\nX-C: d'] })]), 400],
  ['a bare CR in a name', (jpeg) => multipart([filePart(jpeg, { name: 'pre\rview' })]), 400],
  ['a bare LF in a file name', (jpeg) => multipart([filePart(jpeg, { filename: 'a\nb.jpg' })]), 400],
  ['a NUL in a header', (jpeg) => multipart([filePart(jpeg, { filename: 'a\0.jpg' })]), 400],
  ['line feeds only', (jpeg) => replaced(multipart([filePart(jpeg)]), '\r\n', '\n'), 400],
  ['carriage returns only', (jpeg) => replaced(multipart([filePart(jpeg)]), '\r\n', '\r'), 400],
  [
    'a part header of 200 kB',
    (jpeg) => multipart([filePart(jpeg, { headers: [`X-A: ${'x'.repeat(200_000)}`] })]),
    400,
  ],
  [
    '17 header lines',
    (jpeg) => multipart([filePart(jpeg, { headers: Array.from({ length: 15 }, () => 'X-A: b') })]),
    400,
  ],
  [
    '16 header lines',
    (jpeg) => multipart([filePart(jpeg, { headers: Array.from({ length: 14 }, () => 'X-A: b') })]),
    200,
  ],
  ['a header without a colon', (jpeg) => multipart([filePart(jpeg, { headers: ['nonsense'] })]), 400],
  ['a part without headers', (jpeg) => replaced(multipart([filePart(jpeg)]), 'Content-', 'X-'), 400],
  [
    'two dispositions',
    (jpeg) =>
      multipart([filePart(jpeg, { headers: ['Content-Disposition: form-data; name="other"; filename=a'] })]),
    400,
  ],
  ['two files', (jpeg) => multipart([filePart(jpeg), filePart(jpeg)]), 400],
  ['two files in two fields', (jpeg) => multipart([filePart(jpeg), filePart(jpeg, { name: 'other' })]), 400],
  ['a file in another field', (jpeg) => multipart([filePart(jpeg, { name: 'image' })]), 400],
  ['an empty file', () => multipart([filePart(Buffer.alloc(0))]), 400],
  ['a part that ends with its headers', () => text(`--b\r\n${disposition}\r\n\r\n--b--`), 400],
  ['no field name', (jpeg) => multipart([filePart(jpeg, { name: undefined })]), 400],
  ['an empty file name', (jpeg) => multipart([filePart(jpeg, { filename: '' })]), 200],
  [
    'no file name, a picture by its type',
    (jpeg) => multipart([filePart(jpeg, { filename: undefined })]),
    200,
  ],
  ['text in preview', () => multipart([{ name: 'preview', body: 'screenshot.jpg' }]), 400],
  ['text and a file in preview', (jpeg) => multipart([{ name: 'preview', body: 'x' }, filePart(jpeg)]), 400],
  ['a path as file name', (jpeg) => multipart([filePart(jpeg, { filename: '../../etc/x.jpg' })]), 200],
  ['a field of 1 025 bytes', (jpeg) => multipart([long(1025), filePart(jpeg)]), 400],
  ['a field of 1 024 bytes', (jpeg) => multipart([long(1024), filePart(jpeg)]), 200],
  ['a field name of 101', (jpeg) => multipart([{ name: 'n'.repeat(101), body: '' }, filePart(jpeg)]), 400],
  ['a preamble', (jpeg) => replaced(multipart([filePart(jpeg)]), '--a-boundary\r\nC', preamble), 200],
  [
    'a line that goes on after the boundary',
    (jpeg) => replaced(multipart([filePart(jpeg)]), '--a-boundary\r\nC', '--a-boundaryX\r\nC'),
    400,
  ],
  ['a terminator and nothing after it', (jpeg) => cut(multipart([filePart(jpeg)]), 2), 200],
  [
    'parts after the terminator',
    (jpeg) => multipart([filePart(jpeg)], { epilogue: '--a-boundary\r\nX: y\r\n\r\nz' }),
    200,
  ],
]
