/** Members of JSON that tell of the real time or of connections, by name. */
const unsteady = new Map(
  Object.entries({
    real: '(real time)',
    lastUsed: '(real time)',
    remotePort: '(port)',
    port: '(port)',
    epoch: '(epoch)',
    clockEpoch: '(epoch)',
  }),
)

/** Puts a fixed text where numbers differ from run to run. @param {any} value @returns {any} */
export function masked(value) {
  if (Array.isArray(value)) return value.map(masked)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, it]) => {
      if (key === 'connection' && it !== null && typeof it === 'object') it = { ...it, number: '(number)' }
      const mask = unsteady.get(key)
      return [key, mask !== undefined && it !== null && typeof it !== 'object' ? mask : masked(it)]
    }),
  )
}
