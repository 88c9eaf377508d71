export { previewHeaders } from './headers.ts'
export { createImages, type ImageOptions, type Images, type Preview } from './images.ts'
export { createUploads, type UploadOptions, type Uploads } from './uploads.ts'
