from lib.reply import reply

while True:
    print(reply(int(input())))
