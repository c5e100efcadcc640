class Users
  def find(mail)
    all.find { |user| user.mail == mail }
  end
end
