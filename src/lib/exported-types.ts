/** The types of the control client as the package exports them, with a mock and without one. */
export type {
  ClockControl,
  Credentials,
  FaultsControl,
  MailingsControl,
  MockControl,
  PrivateSpace,
  SpaceControl,
  User,
} from './control-client.ts'
export type * from './control-types.ts'
