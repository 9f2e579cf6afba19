"""Words that tell what stands beside them: greetings before a name, titles, verbs after it."""

GROUPS = {
    "greeting": frozenset("hi hello hey dear hiya hallo morning afternoon evening greetings yo howdy hola welcome".split()),
    "thanks": frozenset("thanks thank thx cheers regards best wishes sincerely yours love bye ciao ta kind ty".split()),
    "title": frozenset("mr mrs ms mx dr prof professor sir madam miss doctor instructor tutor aunt uncle king queen".split()),
    "being": frozenset("am is are was called named name i'm im me myself it's that's who's be being".split()),
    "in": frozenset("in at from near to around through towards".split()),
    "of": frozenset("for of with by about on over via like than as against".split()),
    "determiner": frozenset("a an the this that these those no any some every each another which what".split()),
    "owner": frozenset("my your his her its our their whose".split()),
    "pronoun": frozenset("i you he she it we they who there everyone anyone somebody someone".split()),
    "modal": frozenset("will would can could may might must shall should do does did have has had not to don't".split()),
    "speech": frozenset("said says wrote asked posted thinks mentioned answered suggested told agree ask met saw tell".split()),
    "join": frozenset("and or & plus also but".split()),
    "kin": frozenset("friend brother sister son daughter wife husband mother father cat dog pet partner teammate".split()),
    "month": frozenset("january february march april may june july august september october november december".split()),
    "act": frozenset("watch watching watched play playing played use using used install buy bought love hate like run".split()),
}
