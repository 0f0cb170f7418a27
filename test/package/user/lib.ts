import { createMock, runExam } from 'mailing-sync-mock'
import { connect } from 'mailing-sync-mock/control'
import { matchers } from 'mailing-sync-mock/matchers'

/** All that needs no test runner, for a compiler that reads every declaration behind it. */
export const all = [createMock, runExam, connect, matchers]
