// Written while Vite builds: nothing is opened for it.
export const prerender = true
