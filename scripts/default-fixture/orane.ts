import type { BrandContent } from './shape.ts'

const site = 'https://www.maison-orane.example.com'

/** Maison Orane: a tea house with a shop and trade customers, in French. */
export const orane: BrandContent = {
  brand: {
    language: 'fr',
    brand: 'Maison Orane',
    accent: '#7b2d43',
    footer: {
      address: 'Maison Orane, 22 rue des Tanneurs, 69004 Lyon',
      reason: 'Vous recevez cette lettre car vous vous êtes inscrit en boutique ou en ligne.',
      unsubscribe: { label: 'Se désabonner', url: `${site}/lettre/desabonnement` },
    },
  },
  mailings: [
    {
      no: 4,
      created: '2026-01-27T10:31:06.092Z',
      modified: '2026-01-29T09:00:47.536Z',
      state: 'approved',
      name: 'Thés d’hiver',
      subject: 'Trois thés pour les soirs où il fait nuit à cinq heures',
      preheader: 'Fumé, grillé, épicé : notre petite sélection contre le froid.',
      headline: 'Le feu dans la tasse',
      intro:
        'Bonjour {{firstName|à vous}}, quand la fenêtre devient noire avant l’heure du thé, il faut des feuilles qui tiennent tête à l’hiver. En voici trois.',
      sections: [
        {
          title: 'La sélection',
          text: 'Chaque sachet de cent grammes donne une quarantaine de tasses.',
          items: [
            'Pins du Fujian : fumé doux, sans amertume',
            'Hojicha d’Uji : grillé, presque sans théine',
            'Orane Nº 7 : noir, orange, cardamome',
          ],
          link: { label: 'Découvrir les thés d’hiver', url: `${site}/hiver` },
        },
        {
          title: 'Le conseil de Solène',
          text: 'Versez l’eau à 95 degrés, attendez trois minutes, puis oubliez votre téléphone dans une autre pièce.',
        },
      ],
    },
    {
      no: 8,
      created: '2026-02-24T16:18:43.275Z',
      modified: '2026-02-25T08:39:12.640Z',
      state: 'approved',
      name: 'Atelier de printemps',
      subject: 'Un samedi pour apprendre à goûter',
      preheader: 'Deux heures, huit thés, douze places autour de la grande table.',
      headline: 'Goûter, cela s’apprend',
      intro:
        'Nos ateliers reprennent en mars. On y parle peu, on y goûte beaucoup, et l’on repart avec le thé que l’on a préféré.',
      sections: [
        {
          title: 'Les dates',
          text: 'De dix heures à midi, dans l’arrière-boutique de la rue des Tanneurs.',
          items: [
            'Samedi 14 mars : les thés verts',
            'Samedi 28 mars : les oolongs',
            'Samedi 11 avril : les thés noirs',
          ],
          link: { label: 'Réserver une place', url: `${site}/ateliers` },
        },
        { text: 'La place coûte 35 €, thé offert compris. À deux, c’est 60 €.' },
      ],
    },
    {
      no: 11,
      created: '2026-03-18T13:56:30.448Z',
      modified: '2026-03-20T17:12:05.361Z',
      state: 'draft',
      name: 'Coffret fête des mères',
      subject: 'Pour celle qui met l’eau à chauffer avant de dire bonjour',
      preheader: 'Un coffret, deux tasses, une carte écrite à la main.',
      headline: 'Le coffret du dernier dimanche de mai',
      intro:
        'Nous avons demandé à nos clientes ce qu’elles aimeraient recevoir. Elles ont répondu : du temps. Nous avons ajouté du thé.',
      sections: [
        {
          title: 'Dans le coffret',
          text: 'Fabriqué à Lyon, sans plastique, livré partout en France.',
          items: ['Un thé blanc à la rose', 'Un thé noir au caramel salé', 'Deux tasses en grès de la Drôme'],
          link: { label: 'Commander le coffret', url: `${site}/coffret` },
        },
        {
          text: 'Dictez-nous votre message : Maëlle l’écrira à la plume, jusqu’à trente mots, sans supplément.',
        },
      ],
    },
    {
      no: 15,
      created: '2026-04-20T08:08:08.808Z',
      modified: '2026-05-04T11:45:29.117Z',
      state: 'approved',
      version: 2,
      name: 'Darjeeling de printemps',
      subject: 'La première récolte est arrivée',
      preheader: 'Quarante kilos, pas un de plus : le jardin a été généreux, le vent moins.',
      headline: 'Premier flush, quarante kilos',
      intro:
        'Les feuilles cueillies début mars sont à Lyon depuis lundi. Elles sont vertes, vives, et elles sentent la poire.',
      sections: [
        {
          title: 'Trois jardins',
          text: 'Nous les connaissons tous les trois, pour y avoir marché.',
          items: [
            'Sungma : floral, très clair',
            'Turzum : muscat, plus rond',
            'Puttabong : vif, un rien d’agrume',
          ],
          link: { label: 'Voir les trois jardins', url: `${site}/darjeeling` },
        },
        {
          text: 'Une théière de dégustation est ouverte toute la semaine en boutique. Emportez un échantillon : avec l’eau de {{city|votre ville}}, il n’aura pas le même goût.',
        },
      ],
      newDraft: {
        subject: 'Il reste neuf kilos de la première récolte',
        headline: 'Neuf kilos, puis plus rien avant mars',
      },
    },
    {
      no: 20,
      created: '2026-05-26T09:27:14.903Z',
      modified: '2026-05-27T14:50:00.000Z',
      state: 'approved',
      name: 'Thé glacé maison',
      subject: 'Une nuit au frais et c’est prêt',
      preheader: 'Pas de sucre, pas de machine : la recette tient en trois lignes.',
      headline: 'Le thé glacé fait tout seul',
      intro:
        'Laissez faire le froid, {{firstName|et le temps}}. Huit heures au réfrigérateur, et la feuille donne tout sauf l’amertume.',
      sections: [
        {
          title: 'La recette',
          text: 'Elle réussit à chaque fois, même quand on oublie la carafe jusqu’à midi.',
          items: [
            'Quinze grammes de thé pour un litre',
            'De l’eau froide, filtrée si possible',
            'Une nuit au frais, puis filtrer',
          ],
        },
        {
          title: 'Nos préférés à froid',
          text: 'Le jasmin, le rooibos à la pêche et, pour les curieux, le thé fumé avec une rondelle de concombre.',
          link: { label: 'Choisir un thé à froid', url: `${site}/glace` },
        },
      ],
    },
    {
      no: 24,
      created: '2026-06-24T07:15:51.226Z',
      modified: '2026-06-26T15:59:38.490Z',
      state: 'approved',
      version: 1,
      name: 'Catalogue professionnel automne 2026',
      subject: 'Votre carte des thés pour l’automne',
      preheader: 'Nouveaux tarifs, formats d’un kilo et échantillons gratuits.',
      headline: 'Le catalogue des restaurateurs',
      intro:
        'Madame, Monsieur {{lastName}}, voici notre carte d’automne pour les hôtels, les cafés et les restaurants. Les prix sont tenus jusqu’à la fin de l’année.',
      sections: [
        {
          title: 'Ce qui change',
          text: 'Vous nous l’aviez demandé, nous l’avons fait.',
          items: [
            'Tous les thés noirs en sachets d’un kilo',
            'Livraison en 48 heures dès 150 € hors taxes',
            'Formation de votre équipe, deux heures, sur place',
          ],
          link: { label: 'Demander des échantillons', url: `${site}/pro/echantillons` },
        },
        {
          text: 'Votre interlocuteur reste Bastien, du lundi au jeudi, à l’adresse pro@maison-orane.example.com.',
        },
      ],
      newDraft: {
        name: 'Catalogue professionnel automne 2026 (tarifs corrigés)',
        preheader: 'Tarifs corrigés, formats d’un kilo et échantillons gratuits.',
      },
    },
    {
      no: 27,
      created: '2026-07-16T18:02:40.071Z',
      modified: '2026-07-17T09:33:25.954Z',
      state: 'draft',
      name: 'Rentrée',
      subject: 'Reprendre, mais doucement',
      preheader: 'Un thé pour chaque jour de la première semaine.',
      headline: 'Cinq matins, cinq tasses',
      intro:
        'La rentrée a ceci de bon que la théière redevient utile. Nous avons composé une semaine entière, du lundi courageux au vendredi mérité.',
      sections: [
        {
          title: 'La semaine',
          text: 'Cinq sachets de vingt grammes dans une pochette de lin.',
          items: [
            'Lundi : Assam corsé',
            'Mardi : sencha',
            'Mercredi : rooibos vanille',
            'Jeudi : oolong',
            'Vendredi : Orane Nº 1',
          ],
          link: { label: 'Commander la semaine', url: `${site}/rentree` },
        },
        { text: 'Texte à relire par Solène avant validation.' },
      ],
    },
  ],
}
