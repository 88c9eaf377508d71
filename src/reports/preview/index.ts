export {
  createImages,
  type ImageOptions,
  type Images,
  type Preview,
  previewHeaders,
  warnWithoutSharp,
} from './images.ts'
export { createUploads, type UploadOptions, type Uploads } from './uploads.ts'
