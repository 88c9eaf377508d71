import { reportStatuses } from '../schemas.ts'

function ref(name: string) {
  return { $ref: `#/components/schemas/${name}` }
}
function content(name: string, type = 'application/json') {
  return { [type]: { schema: ref(name) } }
}
function header(description: string, schema: object = { type: 'string' }) {
  return { description, schema }
}

const readHeaders = {
  ETag: header('Names this state. Send it as If-None-Match to learn of changes.'),
  RateLimit: header('The requests that are left in this minute.'),
  'RateLimit-Policy': header('The limit that counted.'),
}
function problem(description: string) {
  return {
    description,
    content: content('Problem', 'application/problem+json'),
  }
}
const always = {
  400: problem('A parameter or header is not understood.'),
  401: problem('The key is missing, unknown, revoked or expired.'),
  403: problem('The key may not do this, or the website is excluded.'),
  429: problem('Too many requests: see Retry-After.'),
  503: problem('Not available at the moment: see Retry-After.'),
}
const notFound = { 404: problem('There is no such website in your account.') }
function item(description: string, more: object = {}) {
  return {
    description,
    headers: { ...readHeaders, ...more },
    content: content('ReportAnswer'),
  }
}
const pendingHeaders = {
  Location: header('The address of the result.'),
  'Retry-After': header('Seconds.', { type: 'integer' }),
}
const refusals = {
  422: problem(
    'The address is not allowed, the website could not be read (reason), or it does not run the system.',
  ),
}

const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 80 } }
const expand = {
  name: 'expand',
  in: 'query',
  description: 'Adds details: the signs of the system, facts of the last visit, and the visits before it.',
  schema: { type: 'string', enum: ['1'] },
}
const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The ETag that you have; 304 when nothing is new.',
  schema: { type: 'string' },
}
const ifMatch = {
  name: 'If-Match',
  in: 'header',
  description: 'Only when the website is still at this ETag; else 412.',
  schema: { type: 'string' },
}
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'A quoted text of your own; the same request with it is carried out once in 24 hours.',
  schema: { type: 'string', pattern: '^"[\\x20-\\x21\\x23-\\x5b\\x5d-\\x7e]{1,200}"$' },
}
const prefer = {
  name: 'Prefer',
  in: 'header',
  description: 'respond-async answers 202 at once.',
  schema: { type: 'string', enum: ['respond-async'] },
}
const failed = { 412: problem('The website was changed since the version in If-Match.') }

/** Returns every operation with its input and every status that it answers. */
export function pathsOf() {
  return {
    '/reports': {
      get: {
        operationId: 'listWebsites',
        summary: 'List own websites',
        parameters: [
          expand,
          {
            name: 'limit',
            in: 'query',
            description: 'Websites on a page.',
            schema: { type: 'integer', minimum: 1, maximum: 100, default: 100 },
          },
          { name: 'cursor', in: 'query', description: 'From links.next.', schema: { type: 'string' } },
          {
            name: 'status',
            in: 'query',
            description: 'Only websites in this state; without it refused attempts are left out.',
            schema: { type: 'string', enum: [...reportStatuses] },
          },
          ifNoneMatch,
        ],
        responses: {
          200: {
            description: 'A page of your websites, newest first.',
            headers: { ...readHeaders, Link: header('The next page, rel="next".') },
            content: content('ReportList'),
          },
          304: { description: 'Nothing new.' },
          ...always,
        },
      },
      post: {
        operationId: 'addWebsite',
        summary: 'Add a website: links it to you, checks for the system, fetches metadata',
        parameters: [
          {
            name: 'url',
            in: 'query',
            required: true,
            description: 'Its full address, percent-encoded.',
            schema: { type: 'string', maxLength: 2000 },
          },
          prefer,
          idempotencyKey,
        ],
        responses: {
          200: item('It is yours already.', { Location: pendingHeaders.Location }),
          201: item('Added.', { Location: pendingHeaders.Location }),
          202: item('Being checked.', pendingHeaders),
          ...always,
          409: problem('It is in the index and not linked to you, or the Idempotency-Key is in flight.'),
          ...refusals,
        },
      },
    },
    '/reports/imports': {
      post: {
        operationId: 'importWebsites',
        summary: 'Add many websites: one address a line, 1 000 at most',
        parameters: [idempotencyKey],
        requestBody: { required: true, content: { 'text/plain': { schema: { type: 'string' } } } },
        responses: {
          202: { description: 'Taken.', headers: pendingHeaders, content: content('Import') },
          ...always,
          408: problem('The body came too slowly.'),
          409: problem('The Idempotency-Key is in flight.'),
          413: problem('The list is too large.'),
          422: problem('The Idempotency-Key was used for another request.'),
        },
      },
    },
    '/reports/imports/{id}': {
      get: {
        operationId: 'readImport',
        summary: 'Read the outcomes of an import',
        parameters: [id],
        responses: {
          200: { description: 'One outcome for each line.', content: content('Import') },
          ...always,
          ...notFound,
        },
      },
    },
    '/reports/relink-requests': {
      get: {
        operationId: 'listRelinkRequests',
        summary: 'List your relink requests, and those that concern your websites',
        responses: {
          200: { description: 'Newest first, 200 at most.', content: content('RelinkRequests') },
          ...always,
        },
      },
      post: {
        operationId: 'requestRelink',
        summary: 'Ask for a website that is in the index already: says what to publish as proof',
        parameters: [
          {
            name: 'url',
            in: 'query',
            required: true,
            description: 'Its full address, percent-encoded.',
            schema: { type: 'string', maxLength: 2000 },
          },
          idempotencyKey,
        ],
        responses: {
          200: { description: 'You asked already.', content: content('RelinkRequest') },
          201: { description: 'Publish one of the proofs, then PATCH.', content: content('RelinkRequest') },
          ...always,
          404: problem('The website is not in the index.'),
          409: problem('The Idempotency-Key is in flight.'),
          422: problem('The address is not allowed, or the Idempotency-Key was used for another request.'),
        },
      },
    },
    '/reports/relink-requests/{id}': {
      get: {
        operationId: 'readRelinkRequest',
        summary: 'Read a relink request',
        parameters: [id],
        responses: {
          200: { description: 'As it stands.', content: content('RelinkRequest') },
          ...always,
          ...notFound,
        },
      },
      patch: {
        operationId: 'checkRelinkRequest',
        summary: 'Have the proof looked for now',
        parameters: [id],
        responses: {
          200: { description: '`last_check` says what was found.', content: content('RelinkRequest') },
          ...always,
          ...notFound,
        },
      },
      delete: {
        operationId: 'withdrawRelinkRequest',
        summary: 'Withdraw a relink request',
        parameters: [id],
        responses: { 204: { description: 'Withdrawn.' }, ...always, ...notFound },
      },
    },
    '/reports/relink-requests/{id}/objection': {
      post: {
        operationId: 'objectToRelinkRequest',
        summary: 'Object to a request for one of your websites; the operator decides then',
        parameters: [
          id,
          {
            name: 'reason',
            in: 'query',
            description: 'For the operator and the other partner.',
            schema: { type: 'string', maxLength: 500 },
          },
        ],
        responses: {
          200: { description: 'Noted.', content: content('RelinkRequest') },
          ...always,
          ...notFound,
        },
      },
    },
    '/reports/notices': {
      get: {
        operationId: 'listNotices',
        summary: 'Read what happened to your websites: a feed, oldest first',
        parameters: [
          { name: 'cursor', in: 'query', description: 'From links.next.', schema: { type: 'string' } },
          {
            name: 'format',
            in: 'query',
            description: 'atom answers the same as application/atom+xml, for feed readers.',
            schema: { type: 'string', enum: ['json', 'atom'], default: 'json' },
          },
        ],
        responses: {
          200: {
            description: 'A page; links.next leads on, also to what will come.',
            content: { ...content('Notices'), 'application/atom+xml': { schema: { type: 'string' } } },
          },
          ...always,
        },
      },
    },
    '/reports/{id}': {
      get: {
        operationId: 'readWebsite',
        summary: 'Read one website',
        parameters: [id, expand, ifNoneMatch],
        responses: {
          200: item('The website.'),
          304: { description: 'Nothing new.' },
          ...always,
          ...notFound,
        },
      },
      patch: {
        operationId: 'refreshWebsite',
        summary: 'Refresh metadata',
        parameters: [id, prefer, ifMatch],
        responses: {
          200: item('Looked at again; status says how it stands.'),
          202: item('Being looked at.', pendingHeaders),
          ...always,
          ...notFound,
          409: problem('It came into the index meanwhile and is not linked to you.'),
          ...failed,
          422: problem('The address is not allowed any more.'),
        },
      },
      post: {
        operationId: 'uploadPreview',
        summary: 'Upload a preview: a JPG smaller than 200 kb replaces the screenshot',
        parameters: [id, ifMatch, idempotencyKey],
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                required: ['preview'],
                properties: {
                  preview: { type: 'string', contentMediaType: 'image/jpeg', maxLength: 204_799 },
                },
              },
            },
          },
        },
        responses: {
          200: item('The new picture is in preview.'),
          ...always,
          ...notFound,
          408: problem('The body came too slowly.'),
          409: problem('The Idempotency-Key is in flight.'),
          411: problem('There is no Content-Length.'),
          ...failed,
          413: problem('The file is not smaller than 200 kb.'),
          415: problem('The file is not a JPEG.'),
          422: problem(
            'The picture is damaged or has too many pixels, or the Idempotency-Key was used before.',
          ),
        },
      },
      delete: {
        operationId: 'deleteWebsite',
        summary: 'Delete a website',
        parameters: [id, ifMatch],
        responses: { 204: { description: 'Deleted.' }, ...always, ...notFound, ...failed },
      },
    },
  }
}
