"""Words that English has won since the dictionaries of 1913 and 1934 were made: they name no person and no town."""

_WORDS = """
    accessor addon addons admin adware aerobics afro agile ajax algorithmic alias allocator anime anymore api
    apis app apps applet arduino array arrays async audiobook autocomplete autocorrect autofill autograder
    autosave avatar avatars backend backlog backpack backslash backup backups badass bandwidth barcode barista
    baseball basketball bestseller beta biker bikini binge biodiversity biotech bitcoin bitmap bitwise
    blockbuster blockchain blog blogger blogs bluetooth bluray bool boolean bootstrap bootcamp bot bots
    boyfriend brainstorm brainstorming breakup broadband browser browsers brunch buffer bugfix bugfixes burnout
    byte bytes cappuccino captcha carpool cartoon cashier cellphone chatbot chatroom checkbox checklist checkout
    checksum cheeseburger chemo chipset clickable clipart clipboard clone codebase codec coder coders coding
    codon combobox commenter commenters compiler compilers config configs configure configurable constructor
    cookie cookies copyright cosplay coursework coworker coworkers cppcheck crappy crosstalk crowdfunding css
    csv cutscene cyber cybersecurity dashboard database databases dataset datasets datatype datatypes datetime
    daycare deadline deadlines deadlift debit debug debugger debugging decaf decoder dedup default defaults
    denim deploy deployment deploys deprecated desktop destructor dev devs dialog diff dinosaur dinosaurs disco
    django dns docker docs docstring doctype dollhouse dom doomsday download downloaded downloading downloads
    downtime dropdown dropout ebook ebooks ecosystem ecosystems editor email emailed emailing emails embed emoji
    emojis emoticon encoder endpoint endpoints enum enums escalator espresso ethernet euro euros exam exams
    executable extensible facepalm fanfic faq fastball feedback fetcher filename filenames filesystem firewall
    firewire firmware flashback flashcard flashcards flashlight flipflop flowchart folder folders font fonts foo
    footage footer forum forums framework frameworks freelance freelancer freeware freeway frontend frontman
    frisbee fullscreen fundraiser fundraising gameplay gamer gamers gangster gdp genome genomics gif gifs
    gigabyte git github gitlab glitch glitches globalization google googled googling goosebumps gps grammarly
    graphene groupmate groupmates gui gym hackathon hacker hackers hairdryer hairstyle hamburger handheld
    handout handouts handwriting hardcore hardware hashmap hashtable hashtag hashtags haskell headset heatmap
    helicopter helpdesk hexadecimal highlighter hiphop histogram histograms hmm hmmm hologram homepage hooray
    hotfix hotkey hotspot hover html http https hybrid hyperlink hyperlinks hypertext iframe inbox indices
    infographic inline input inputs insane instagram int integer integers interface interfaces internet intern
    interns internship internships intro invoke ipad iphone ipsum iterator iterators janky java javascript jeans
    jeep jigsaw jpeg jpg jquery json kernel kernels keyboard keyboards keynote keypad keystroke keyword keywords
    kickoff kilobyte kilobytes kindergarten knockout lambda landline laptop laptops laser lasers latency latex
    latte layout layouts leaderboard leggings legit lifelong lifestyle lifestyles linear linux livestream lmao
    lmfao lockdown logarithm login logins logout logo logos lol lorem lyrics macbook macro macros mainframe
    mainstream malware marathon markdown mashup matcha matlab megabyte megabytes meme memes meta metabolism
    metadata microchip microphone microsoft microwave middleware midterm midterms milkshake mindset mindfulness
    minibus minivan moderator moderators modem moisturizer moodle motherboard motocross motorcycle motorbike
    movie movies multimedia multithreaded multiplayer mysql namespace namespaces nanoscale nanotechnology nerdy
    netbeans newbie newbies newsfeed newsletter nightclub node nodejs noob notebook notebooks notepad
    notification notifications null nullable numpy nylon offline offset ok okay onboarding online onscreen
    opcode orientated outlier outliers output outputs outsource overthink overthinking overclock overwrite
    overwritten pandas panini paparazzi paperback paperwork param params paramedic parser parsers parsing
    password passwords pasta paycheck payload payroll paywall pdf penalty percentile photocopy photoshop php
    ping pizza pizzas pixel pixels pixelated plaintext playlist playlists playoff playoffs plugin plugins plz
    png podcast podcasts polymorphism polyester popup popups postdoc postdocs powerpoint preorder preprint
    preprocess preprocessor preset prequel presenter println procrastinate procrastinating procrastination
    programmer programmers programming prototype prototypes pseudocode psychedelic python quantum queue queues
    quiche quicksort radar radio ranking rankings readme readonly realtime reboot rebooted recap recursion
    recursive recycle recycling redesign redirect redirects refactor refactored refactoring reformat refresher
    regex regexp reload reloaded remake remix repo repos reposting reset resetting resubmit resubmission rework
    reworked robot robotic robotics robots rollercoaster rollout rookie rotoscope router routers runtime scam
    scammer scanf scanner scanners scary scenario scenarios schedule schema schemas scientist scientists
    screencast screenplay screensaver screenshot screenshots scroll scrollbar scrolling selfie selfies sequel
    serializable serializer server servers servlet setup setups sexist sexier sexism shampoo sharepoint shortcut
    shortcuts shutdown sidebar signup simulator sitcom skateboard skincare skype slideshow smartphone
    smartphones smartwatch smoothie snippet snippets snowboard soccer sociology sockets software soundtrack
    soundtracks spaceship spam spammed spammer spreadsheet spreadsheets sql sqrt stackoverflow startup startups
    stderr stdin stdout stopwatch storyline stdio stockpile streamer streaming struct structs stylesheet
    subclass subclasses subfolder subreddit subroutine subroutines subset substring substrings subtitle
    subtitles superclass superhero superheroes supercomputer superset supermarket superstar svg swimwear
    switchboard syllabus sync synced syncing synonym syntax sysadmin tablespace tablet taco tacos takeaway
    takeout tbh teammate teammates tech techie teen teenage teenager teenagers teens telecom telework televised
    television televisions template templates testcase testcases textarea textbook textbooks textbox textfield
    thermostat thesis thread threads thumbnail thumbnails timeframe timeline timelines timeout timeouts timer
    timers timescale timeslot timestamp timestamps timezone timezones todo toddler tokenizer toggle toolbar
    toolbox toolkit tooltip touchpad touchscreen traceback tracebacks trailer trampoline transaction transistor
    transistors treehouse tsunami tuple tuples turbo turntable tutorial tutorials tv tweak tweaks tweet tweeted
    tweets txt typeerror typecast typo typos ubuntu ugh ui umm undefined undo unicode uninstall uninstalled
    unittest unix unsubscribe untagged unzip update updated updates updating upgrade upgraded upgrades upload
    uploaded uploading uploads upvote upvoted uri url urls usability usb username usernames usr utf util utils
    valueerror vaccine validator var variable variables varchar vector vectors vegan veggie veggies video videos
    viewport viewmodel vintage viral virtualization vlog vlogger voicemail vs walkthrough wallpaper wannabe
    warmup washroom watermark webapp webcam webinar weblog webmaster webpage webpages webserver webservice
    website websites weekday weekdays weekend weekends weightlifting weird whistleblower whiteboard whitelist
    whitespace widescreen widget widgets wifi wiki wikis winforms wireframe wireless wishlist wizard woke
    wordpress workaround workarounds workbook workflow workflows workforce workload workout workouts workplace
    worksheet worksheets workshop workshops workspace workspaces workstation wtf xbox xml xcode yaml yay yeah
    yep yoga yogurt youtube youtuber youtubers yup zip zipfile zipper zombie zombies aight ain aint alot altho
    arent awesome aww awww bff bro bros btw cant cos couldnt coz cuz damn dat didnt dis doesnt dont dude dudes
    dunno em everybody everyone ez finna fr frfr ftw gal gawd gf gg gimme gonna goodbye gotcha gotta gtg guys
    hadnt haha hahaha hasnt havent hehe heh hella hes hey hi hiya hmu hows idc idk idontknow ikr ill imma imo
    imho im innit irl isnt ive jk kinda kk lemme lil lmk lots luv mad mates meh mins mommy mum mums nah nope nvm
    omfg omg oops ooh ouch outta pls plzz ppl probs prolly rofl sec shes shit shouldnt sis smh somebody someone
    sorta srsly sry stfu sup tf thats theres theyre thingy tho thru thx til tmrw tomorrow tonight today tysm u
    ur wanna wasnt wat wbu wdym welp werent whats whatever whos wont wouldnt wth ya yall yea yeh yesterday yo
    youd youll youre youve yuck anybody anyway anyways nobody somewhere whoever whichever hello goodnight okey
    inc ltd dept univ appt approx max min avg std chem bio calc econ psych stats lab labs lecturer lecturers
    prof profs prereq prereqs gpa pdfs ppt ppts docx xlsx pptx
    def elif len str self args kwargs init readlines printf isdigit strcpy malloc sizeof bmatrix py ipynb argv
    argc stdlib iostream cout cin endl fprintf bool xor nan inf numpy scipy matplotlib plt sklearn seaborn
    ii iii iv vi vii viii ix xi xii xiii xiv xv ps eg ie tel
"""
MODERN = frozenset(_WORDS.split())
