import { cliAndLibrary } from './faults/cli-and-library.mjs'
import { control } from './faults/control.mjs'
import { exam } from './faults/exam.mjs'
import { explore } from './faults/explore.mjs'
import { http } from './faults/http.mjs'
import { judge } from './faults/judge.mjs'
import { pages } from './faults/pages.mjs'
import { rig } from './faults/rig.mjs'
import { service } from './faults/service.mjs'
import { store } from './faults/store.mjs'
import { tls } from './faults/tls.mjs'
import { verifyAndPull } from './faults/verify-and-pull.mjs'

/** Every fault, by area. */
export const faults = [
  ...service,
  ...store,
  ...http,
  ...tls,
  ...rig,
  ...control,
  ...judge,
  ...exam,
  ...explore,
  ...verifyAndPull,
  ...pages,
  ...cliAndLibrary,
]
