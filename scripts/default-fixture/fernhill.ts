import type { BrandContent } from './shape.ts'

const site = 'https://www.fernhill-cycles.example.com'

/** Fernhill Cycles: a bicycle shop with a workshop, in English. */
export const fernhill: BrandContent = {
  brand: {
    language: 'en',
    brand: 'Fernhill Cycles',
    accent: '#1f6f54',
    footer: {
      address: 'Fernhill Cycles Ltd, 14 Canal Row, Eastholme EH2 7QD',
      reason: 'You get this letter because you signed up in the shop or at the till online.',
      unsubscribe: { label: 'Unsubscribe', url: `${site}/newsletter/unsubscribe` },
    },
  },
  mailings: [
    {
      no: 1,
      created: '2026-01-08T10:12:44.318Z',
      modified: '2026-01-11T16:05:09.702Z',
      state: 'approved',
      name: 'Winter service week',
      subject: 'Your bike has earned a warm bench, {{firstName|rider}}',
      preheader: 'Five days, two mechanics, one flat price for a full winter service.',
      headline: 'Winter service week starts Monday',
      intro:
        'Hello {{firstName|there}}, salt and grit do more harm in January than a whole summer of riding. From Monday to Friday we take bikes in from eight and hand them back, clean and quiet, the next afternoon.',
      sections: [
        {
          title: 'What we do for £69',
          text: 'One price for every bike without a motor. If we find something bigger, we ring you before we touch it.',
          items: [
            'Drivetrain off, degreased, measured and oiled',
            'Brakes adjusted, pads checked against the wear line',
            'Both wheels trued, tyres checked for cuts and glass',
            'All bolts tightened with a torque wrench',
          ],
          link: { label: 'Book a slot', url: `${site}/workshop/winter-service` },
        },
        {
          title: 'No bike for a day?',
          text: 'Borrow one of ours. We keep six town bikes by the door for exactly this, free while yours is on the bench.',
        },
      ],
    },
    {
      no: 5,
      created: '2026-02-03T09:41:27.055Z',
      modified: '2026-03-17T14:22:31.480Z',
      state: 'approved',
      version: 2,
      name: 'Spring launch',
      subject: 'The new season is on the shop floor',
      preheader: 'Three new bikes, test rides every Saturday, coffee from the van.',
      headline: 'Come and ride the new ones',
      intro:
        'The spring delivery arrived on Tuesday, {{firstName|and we thought of you}}. We have built up one of each model in every size, pumped the tyres and put them out front.',
      sections: [
        {
          title: 'Three we keep riding home ourselves',
          text: 'None of them is the most expensive bike in the shop. All of them are the ones that come back from a test ride last.',
          items: [
            'Heron 3: an all-road bike with room for mudguards and wide tyres',
            'Otter Step: a low-entry town bike that carries a week of shopping',
            'Wren 24: a proper small bike for riders from eight to eleven',
          ],
          link: { label: 'See the spring range', url: `${site}/spring` },
        },
        {
          title: 'Test rides',
          text: 'Every Saturday from ten. Bring a helmet and some form of ID; we bring the route card, twenty minutes along the canal in {{city|Eastholme}} and back.',
          link: { label: 'Reserve your size', url: `${site}/spring/test-rides` },
          linkStyle: 'text',
        },
      ],
      newDraft: {
        name: 'Spring launch – last weekend',
        subject: 'Last weekend for spring test rides',
        headline: 'Two Saturdays became one',
      },
    },
    {
      no: 9,
      created: '2026-03-02T08:20:00.913Z',
      modified: '2026-03-03T17:48:15.006Z',
      state: 'approved',
      name: 'Commuter week',
      subject: 'Ride to work for a week & we check your lights',
      preheader: 'Free light checks, a breakfast stop and a map of the quiet roads.',
      headline: 'Five mornings by bike',
      intro:
        'Commuter week is a small promise to yourself: five mornings, any weather, any speed. We will be at the bridge with bananas and a track pump.',
      sections: [
        {
          title: 'Where to find us',
          text: 'Look for the green canopy between seven and half past nine.',
          items: [
            'Monday and Tuesday: Mill Bridge',
            'Wednesday: Station Square',
            'Thursday and Friday: East Lock',
          ],
        },
        {
          title: 'The quiet-roads map',
          text: 'Our customers marked 61 shortcuts, underpasses and early-gritted lanes. The printed map is free in the shop, the file is free anywhere.',
          link: { label: 'Download the map', url: `${site}/commuter-week/map` },
        },
      ],
    },
    {
      no: 13,
      created: '2026-04-07T13:30:52.640Z',
      modified: '2026-04-22T09:02:18.221Z',
      state: 'draft',
      name: 'Cycle to work for employers',
      subject: 'A bike for the whole team, without the paperwork',
      preheader: 'How leasing works, what it costs and who signs what.',
      headline: 'Your colleagues want bikes. You want one form.',
      intro:
        'Dear {{firstName|neighbour}} {{lastName}}, twelve firms in {{city|Eastholme}} already lease through us. This is the short version of what they asked first.',
      sections: [
        {
          title: 'Three answers',
          text: 'The long ones are on the page, with a calculator.',
          items: [
            'You sign one frame agreement; each colleague signs for their own bike',
            'Service and insurance are in the monthly rate',
            'Whoever leaves the firm can keep the bike or hand it back to us',
          ],
          link: { label: 'Open the calculator', url: `${site}/leasing` },
        },
        {
          text: 'Prefer to talk? Priya answers leasing questions on Tuesdays and is on the shop number all day.',
        },
      ],
    },
    {
      no: 17,
      created: '2026-05-05T11:07:33.127Z',
      modified: '2026-05-06T18:19:40.550Z',
      state: 'approved',
      name: 'Riverside ride',
      subject: 'Sunday: 32 miles, one hill, cake at the lock',
      preheader: 'Our first club ride of the year goes up the river and nobody is left behind.',
      headline: 'The Riverside ride is back',
      intro:
        'We leave the shop at nine on Sunday and are back for a late lunch. Two groups, one gentle and one not; both stop for cake.',
      sections: [
        {
          title: 'Good to know',
          text: 'The ride is free. Please tell us you are coming so that the lock-keeper bakes enough.',
          items: [
            '32 miles, 210 metres of climbing',
            'Any bike in good order',
            'Under 16 with an adult, please',
          ],
          link: { label: 'I am coming', url: `${site}/rides/riverside` },
        },
        {
          title: 'If it rains',
          text: 'We ride. If it pours, we move the whole thing to the next Sunday and write to everyone by seven in the morning.',
        },
      ],
    },
    {
      no: 21,
      created: '2026-06-02T15:55:10.004Z',
      modified: '2026-06-02T16:40:58.871Z',
      state: 'draft',
      name: 'Touring checklist',
      subject: 'Packing for two weeks on two wheels',
      preheader: 'What we take, what we always bring back unused.',
      headline: 'Pack half, then take something out',
      intro:
        'Between us we have toured in eleven countries and carried far too much through most of them. Here is the list we use now.',
      sections: [
        {
          title: 'The short list',
          text: 'It fits in two rear bags and leaves room for bread.',
          items: [
            'One set of clothes to ride in, one to sit in',
            'Two tubes, a patch kit, a chain link and the tool that fits it',
            'A light that charges from the same cable as your phone',
            'A stove only if you will cook every day',
          ],
        },
        {
          title: 'Have the bike looked at first',
          text: 'A touring check takes forty minutes. Come ten days before you leave, so that parts can still arrive.',
          link: { label: 'Book a touring check', url: `${site}/workshop/touring-check` },
        },
      ],
    },
    {
      no: 25,
      created: '2026-07-01T07:48:21.396Z',
      modified: '2026-07-28T12:00:00.000Z',
      state: 'approved',
      version: 1,
      name: 'Battery check',
      subject: 'How is your battery, really?',
      preheader: 'A free capacity test for every e-bike bought from us before 2024.',
      headline: 'Know what is left in it',
      intro:
        'A battery loses its strength so slowly that most riders only notice on the second hill. Ours is a ten-minute test and you get the figure on paper.',
      sections: [
        {
          title: 'Three habits that help',
          text: 'No gadget needed.',
          items: [
            'Store it between 30 and 60 per cent',
            'Keep it indoors when it freezes, and out of the car when it is hot',
            'Charge a little and often instead of from empty to full',
          ],
        },
        {
          text: 'The test is free for e-bikes that came from us before 2024, and £12 for all others.',
          link: { label: 'Reserve ten minutes', url: `${site}/workshop/battery-check` },
        },
      ],
      newDraft: {
        subject: 'A free battery check, {{firstName|just ask}}',
        preheader: 'Free for every e-bike, wherever it was bought, until the end of August.',
      },
    },
    {
      no: 29,
      created: '2026-08-04T14:14:14.140Z',
      modified: '2026-08-06T08:31:47.269Z',
      state: 'approved',
      name: 'End of summer sale',
      subject: 'Making room: demo bikes from Friday',
      preheader: 'Twenty-two demo bikes, all serviced, all with a year of guarantee.',
      headline: 'They have been ridden. Gently.',
      intro:
        'At the end of each summer we sell the bikes that customers borrowed for test rides. We know where every one of them has been.',
      sections: [
        {
          title: 'How it works',
          text: 'The list goes online on Friday at noon. First come, first served, and a deposit of £50 holds a bike until Sunday evening.',
          items: ['22 bikes, sizes XS to XL', 'New chain, new pads, new grips', 'Twelve months of guarantee'],
          link: { label: 'See the list on Friday', url: `${site}/demo-sale` },
        },
        {
          title: 'Trade-in',
          text: 'Bring your old bike along. If it rolls, it is worth something; if it does not, we recycle it.',
        },
      ],
    },
  ],
}
