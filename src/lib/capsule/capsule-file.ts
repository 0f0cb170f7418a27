/* For those who may not know the control API. */
export { type Capsule, maxCapsuleBytes, readCapsule } from '../../control/capsule/capsule-file.ts'
