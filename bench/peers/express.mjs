/** express with logic written by hand, which does everything that the floor does. */
import { fileURLToPath } from 'node:url'

/** @type {import('./peers.mjs').Peer} */
export const express = {
  title: 'express 5, hand-written',
  prepare: async ({ port, mailings }) => ({
    args: [fileURLToPath(new URL('express-server.mjs', import.meta.url)), String(port), String(mailings)],
  }),
  reset: { method: 'POST', path: '/reset' },
}
