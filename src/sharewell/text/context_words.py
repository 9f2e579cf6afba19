"""Words that announce what stands beside them: greetings before a name, titles, verbs after it."""

_GROUPS = {
    "greeting": "hi hello hey dear hiya hallo morning afternoon evening greetings yo howdy hola welcome",
    "thanks": "thanks thank thx cheers regards best wishes sincerely yours love bye ciao ta kind ty",
    "title": "mr mrs ms mx dr prof professor sir madam miss doctor instructor tutor aunt uncle king queen",
    "being": "am is are was called named name i'm im me myself it's that's who's be being",
    "in": "in at from near to around through towards",
    "of": "for of with by about on over via like than as against",
    "determiner": "a an the this that these those no any some every each another which what",
    "owner": "my your his her its our their whose",
    "pronoun": "i you he she it we they who there everyone anyone somebody someone",
    "modal": "will would can could may might must shall should do does did have has had not to don't",
    "speech": "said says wrote asked posted thinks mentioned answered suggested told agree ask met saw tell",
    "join": "and or & plus also but",
    "kin": "friend brother sister son daughter wife husband mother father cat dog pet partner teammate",
    "month": "january february march april may june july august september october november december",
    "act": "watch watching watched play playing played use using used install buy bought love hate like run",
}
GROUPS = {group: frozenset(words.split()) for group, words in _GROUPS.items()}
