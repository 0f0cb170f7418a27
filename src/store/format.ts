/** Version of the fixture format. Separate from the schemas, so that the store works without loading the schema library. */
export const formatNumber = 1

/** The states of a sending (spec 3). Apart from the schemas, too, which a start with checked content does not need. */
export const sendingStates = ['PENDING', 'CREATED', 'FAILED', 'INDETERMINATE_FAILURE'] as const

/** The value if it is a state of a sending. */
export const knownState = (value: unknown) => sendingStates.find(it => it === value)

/** An ID of a resource. */
export const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What a mailing on the platform was created by. */
export const platformOrigins = ['sending', 'mailing-upload', 'test-sending'] as const

/** Version of the format of the other files in a data directory: logs, snapshots, the list of created spaces. */
export const storeFormat = 2
